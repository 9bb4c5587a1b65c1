# Completion of paycli for bash, 3.2 and later.
#
# The words of the line are neither expanded nor run. paycli gets them on its standard input, where no other user of
# the machine sees them.

# Readline may cut words at ':' and '='; what stands together on the line is put together again.
__paycli_words() {
  local line=$COMP_LINE i last piece gap
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    gap=${line%%[![:space:]]*}
    line=${line#"$gap"}
    last=$((${#words[@]} - 1))
    if ((last > 0)) && [[ -z $gap && ($piece == [=:]* || ${words[last]} == *[=:]) ]]; then
      words[last]+=$piece
    else
      words+=("$piece")
    fi
    line=${line#"$piece"}
  done
}

_paycli() {
  local words=() breaks=${COMP_WORDBREAKS//[!=:]/} current drop='' offer
  COMPREPLY=()
  __paycli_words
  current=${words[${#words[@]} - 1]}
  # Replies may not repeat what readline counts as a word of its own.
  if [[ -n $breaks && $current != [\"\']* && $current == *["$breaks"]* ]]; then
    drop=${current%"${current##*["$breaks"]}"}
  fi
  while IFS=$'\t' read -r offer _; do
    if [[ $offer != @file ]]; then
      COMPREPLY+=("${offer#"$drop"}")
    elif [[ $current != *[\$\`]* ]]; then
      # Readline itself would look into variables.
      compopt -o default 2>/dev/null
    fi
  done < <(printf '%s\n' "${words[@]:1}" | command paycli __complete 2>/dev/null)
}

complete -F _paycli paycli
