import { settings, type Setting } from './settings.ts'

/** Separates settings from the other arguments of a command. */
export function splitSettings(args: readonly string[]) {
  const split: { settings: string[]; rest: string[] } = { settings: [], rest: [] }
  const definitions = Object.values<Setting<unknown>>(settings)
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    const [name] = arg.split('=', 1)
    const setting = definitions.find(({ flag }) => flag !== undefined && `--${flag}` === name)
    if (!setting) {
      split.rest.push(arg)
      continue
    }
    split.settings.push(arg)
    const value = args[at + 1]
    const takesValue = setting.value !== undefined && arg === name && value !== undefined
    if (takesValue) split.settings.push(args[++at] ?? '')
  }
  return split
}
