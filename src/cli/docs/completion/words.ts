/**
 * How bash and zsh alike take one word before the current one: the rest of the loop after a flag's value was looked at.
 */
export const takeWord = `      pending=
    elif [[ -z $only && $word == -- ]]; then
      only=yes
    elif [[ -z $only && $word == -* ]]; then
      __paycli_flags "$place"
      name=\${word%%=*}
      if ! __paycli_find "$name" || [[ -z $value ]]; then continue; fi
      if [[ $word != *=* ]]; then
        pending=$name
      elif [[ $name == --profile ]]; then
        profile=\${word#*=}
      fi
    else
      kept+=("$word")
      __paycli_commands "$place"
      if [[ -z $only ]] && __paycli_find "$word"; then
        place=\${place:+$place }$word
      else
        count=$((count + 1))
      fi
    fi
  done
}
`;
