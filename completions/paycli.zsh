#compdef paycli
# Completion of paycli for zsh: for `source`, and for a folder of fpath, where the file has to be named `_paycli`.
#
# The words of the line are neither expanded nor run. paycli gets them on its standard input, where no other user of
# the machine sees them.

_paycli() {
  local -a offers
  local line
  for line in "${(@f)$(printf '%s\n' "${(@)words[2,CURRENT - 1]}" "$PREFIX" | command paycli __complete 2>/dev/null)}"; do
    if [[ $line == @file ]]; then
      compset -P '--*='
      # The completion of files would expand them.
      if [[ $PREFIX != *[\$\`]* ]]; then _files; fi
    elif [[ -n $line ]]; then
      offers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done
  if (( ${#offers} > 0 )); then _describe paycli offers; fi
}

if [[ ${funcstack[1]-} == _paycli ]]; then
  _paycli "$@"
else
  if ! (( ${+functions[compdef]} )); then
    autoload -Uz compinit
    compinit
  fi
  compdef _paycli paycli
fi
