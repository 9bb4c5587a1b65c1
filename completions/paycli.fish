# Completion of paycli for fish.
#
# The words of the line are neither expanded nor run. paycli gets them on its standard input, where no other user of
# the machine sees them.

function __paycli_offers
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for offer in (printf '%s\n' $words[2..-1] "$current" | command paycli __complete 2>/dev/null)
    if test "$offer" != @file
      printf '%s\n' "$offer"
    else if not string match -qr '[$(`]' -- "$current"
      __fish_complete_path "$current"
    end
  end
end

complete -c paycli -e
complete -c paycli -f -a '(__paycli_offers)'
