import type { Command } from '../grammar/command.ts'
import { didYouMean } from '../grammar/nearest-word.ts'
import { UsageError } from '../usage-error.ts'

/** A script for each shell. It asks `muster __complete`, whose lines need no quotes. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_muster() {
  local IFS=$'\\n'
  COMPREPLY=($(muster __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _muster muster
`,
  zsh: `#compdef muster
_muster() {
  local -a found
  found=("\${(@f)$(muster __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
if [ "$funcstack[1]" = _muster ]; then _muster "$@"; else compdef _muster muster; fi
`,
  fish: `function __muster_complete
  set -l words (commandline -opc) (commandline -ct)
  muster __complete -- $words[2..-1] 2>/dev/null
end
complete -c muster -f -a '(__muster_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName muster -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '' }
  muster __complete -- @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
}

export const completion: Command = {
  words: ['completion'],
  summary: 'Print a script that completes commands in a shell.',
  usage: 'bash|zsh|fish|powershell',
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/muster',
    'completion zsh > ~/.zfunc/_muster',
    'completion fish > ~/.config/fish/completions/muster.fish',
    'completion powershell >> $PROFILE',
  ],
  flags: [],
  details:
    'Nouns, verbs, flags, columns and the names of items are completed. Names are cached for 30 seconds.',
  async run(run) {
    const shells = Object.keys(scripts)
    const [shell = '', ...others] = run.args.positionals
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    if (script === undefined || others.length > 0) {
      throw new UsageError(`Name one shell: ${shells.join(', ')}.${didYouMean(shell, shells)}`)
    }
    run.output.write(script)
    return 0
  },
}
