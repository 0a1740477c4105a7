import { hash } from 'node:crypto'
import type { SourceSettings } from '../../domain/sources/source.ts'

/** The text of an option without spaces around it; the default if it is empty. */
export function textOption(
  { options }: Pick<SourceSettings, 'options'>,
  name: string,
  defaultValue = '',
): string {
  const value = options[name]
  return (typeof value === 'string' && value.trim()) || defaultValue
}

/** The texts of an option that is a list. */
export function listOption(
  { options }: Pick<SourceSettings, 'options'>,
  name: string,
): readonly string[] {
  const value = options[name]
  return Array.isArray(value) ? value.map(String) : []
}

/** Equal for equal settings. Does not reveal credentials. */
export const digestOfSettings = ({ address, credentials, options }: SourceSettings): string =>
  hash('sha256', JSON.stringify([address, credentials, options]))
