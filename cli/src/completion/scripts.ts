export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * What a shell runs. Each script asks `srs __complete -- <words>` and reads its lines: `<value>`
 * TAB `<description>`, and `:files` for a path, which the shell completes. The scripts do not
 * depend on the commands.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# In ~/.bashrc: eval "$(srs completion bash)"
_srs() {
  local line current=\${COMP_WORDS[COMP_CWORD]}
  [[ $current == = ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(srs __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _srs srs`,
  zsh: `#compdef srs
# In ~/.zshrc, after compinit: eval "$(srs completion zsh)"
_srs() {
  local line
  local -a found
  for line in "\${(@f)$(srs __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      _files
    elif [[ -n $line ]]; then
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( $#found )) && _describe srs found
}
if [[ $funcstack[1] == _srs ]]; then _srs "$@"; else compdef _srs srs; fi`,
  fish: `# In ~/.config/fish/config.fish: srs completion fish | source
function __srs
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (srs __complete -- $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c srs -f -a '(__srs)'`,
};
