import { settings } from './settings.ts'
import type { Setting } from './setting.ts'

export type SettingKey = keyof typeof settings

/** A name of a setting as a flag, as a variable and in the configuration file. */
export interface Spelling {
  readonly setting: SettingKey
  /** The value is the path of a file that contains the secret. */
  readonly isPath: boolean
  /** Absent for a secret: flags are visible in the list of processes. */
  readonly flag?: string
  /** The flag alone means true. */
  readonly isBoolean: boolean
  readonly variable: string
  /** Absent for the path of the configuration file itself. */
  readonly key?: string
}

/** The names of every setting. A secret has a second set of names, which end in "file". */
export const spellings: readonly Spelling[] = Object.entries<Setting<unknown>>(settings).flatMap(
  ([name, { flag, variable, isSecret, value }]) => {
    const setting = name as SettingKey
    const key = variable.replace(/^MUSTER_/, '').toLowerCase()
    const plain: Spelling = {
      setting,
      isPath: false,
      ...(flag !== undefined && { flag: `--${flag}` }),
      isBoolean: value === undefined,
      variable,
      ...(setting !== 'configFile' && { key }),
    }
    if (!isSecret) return [plain]
    return [
      plain,
      {
        setting,
        isPath: true,
        flag: `--${key.replaceAll('_', '-')}-file`,
        isBoolean: false,
        variable: `${variable}_FILE`,
        key: `${key}_file`,
      },
    ]
  },
)

/** Text that is safe to print in one line. */
export const printable = (text: string): string =>
  text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 80)
