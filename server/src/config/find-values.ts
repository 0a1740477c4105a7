import { readFileSync } from 'node:fs'
import { parseConfigFile } from './config-file.ts'
import type { readFlags } from './flags.ts'
import { settings } from './settings.ts'
import type { Setting } from './setting.ts'
import { printable, spellings, type SettingKey, type Spelling } from './spellings.ts'
import type { Environment } from './variables.ts'

/** The text of a setting, before it is parsed. */
export interface FoundValue {
  readonly text: string
  /** The flag, the variable, or the key and the file. Undefined for a default value. */
  readonly origin: string | undefined
}

type Find = (spelling: Spelling) => { text: string; name: string } | undefined

/** Finds the text of each setting: a flag overrides a variable, a variable the configuration file. */
export function findValues(flags: ReturnType<typeof readFlags>, environment: Environment) {
  const values = new Map<SettingKey, FoundValue>()
  const problems: string[] = []
  const fromFlags: Find = ({ flag }) => {
    const value = flag === undefined ? undefined : flags[flag.slice(2)]
    return value === undefined ? undefined : { text: String(value), name: flag ?? '' }
  }
  const fromVariables: Find = ({ variable }) => {
    const text = environment[variable]
    return text === undefined ? undefined : { text, name: variable }
  }
  const readFile = ({ text: path, name }: { text: string; name: string }) => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      problems.push(`${name} must be the path of a readable file`)
      return undefined
    }
  }
  const config = spellings.find(({ setting }) => setting === 'configFile')
  const file = config && (fromFlags(config) ?? fromVariables(config))
  const content = file && readFile(file)
  const inFile = ` in ${printable(file?.text ?? '')}`
  const texts = parseConfigFile(content ?? '', inFile, problems)
  const fromFile: Find = ({ key = '' }) => {
    const text = texts.get(key)
    return text === undefined ? undefined : { text, name: key + inFile }
  }

  const findIn = (find: Find, key: SettingKey): FoundValue | undefined => {
    const found = spellings.flatMap((spelling) => {
      const value = spelling.setting === key ? find(spelling) : undefined
      return value ? [{ ...value, isPath: spelling.isPath }] : []
    })
    const [first, second] = found
    if (!first) return undefined
    if (second) problems.push(`${first.name} and ${second.name} must not be given together`)
    if (!first.isPath) return { text: first.text, origin: first.name }
    const text = readFile(first)?.replace(/\r?\n$/, '')
    return text === undefined ? undefined : { text, origin: first.name }
  }
  for (const [name, { fallback }] of Object.entries<Setting<unknown>>(settings)) {
    const key = name as SettingKey
    const found = findIn(fromFlags, key) ?? findIn(fromVariables, key) ?? findIn(fromFile, key)
    if (found) values.set(key, found)
    else if (fallback !== undefined) values.set(key, { text: fallback, origin: undefined })
  }
  return { values, problems }
}
