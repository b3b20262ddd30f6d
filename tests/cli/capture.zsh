#!/usr/bin/env zsh
# What zsh proposes for a command line that is typed up to a Tab. usage: zsh -f capture.zsh FOLDER LINE
# A shell in a pseudo terminal loads the completion from FOLDER; compadd tells what it was given and inserts nothing.
zmodload zsh/zpty
zpty shell zsh -f -i
line() { zpty -w shell "$1" }
line "PS1= PS2= RPS1= ; unsetopt prompt_cr prompt_sp zle_bracketed_paste; stty -echo"
line "fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D; zstyle ':completion:*' insert-tab false"
line 'compadd() { if [[ " ${@[1,(i)--]} " == *" -"(O|A|D)" "* ]]; then builtin compadd "$@"; return; fi; local -a hits; builtin compadd -O hits "$@"; print -rl -- "hit "$^hits; return 1 }'
line 'finish() { print -r -- "the end" }; comppostfuncs=(finish)'
line 'print -r -- "the begin"ning'
while zpty -r shell got; do [[ $got == *"the beginning"* ]] && break; done
zpty -w -n shell "$2"$'\t'
while zpty -r shell got; do
    got=${${got//$'\r'/}%$'\n'}
    [[ $got == *"hit "* ]] && print -r -- "${got##*hit }"
    [[ $got == *"the end"* ]] && break
done
zpty -d shell
