import type { IdentityProviderDriverDto } from '@muster/contract'

export type Driver = IdentityProviderDriverDto
export type DriverField = Driver['options'][number]
type Value = string | number | boolean

/** The text of each option in a form. */
export type OptionTexts = Readonly<Record<string, string>>

/** The stored options, or the defaults. Secrets are never shown. */
export const startTexts = (
  { options }: Driver,
  stored: Readonly<Record<string, Value>> = {},
): OptionTexts =>
  Object.fromEntries(
    options.map((field) => [field.name, String(stored[field.name] ?? field.default ?? '')]),
  )

function toValue({ type }: DriverField, text: string): Value {
  if (type === 'boolean') return text === 'true'
  return type === 'integer' && text.trim() !== '' ? Number(text) : text
}

/** The options to send: those that differ from what is stored, or from the defaults. */
export const changedOptions = (
  { options }: Driver,
  before: OptionTexts,
  texts: OptionTexts,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    options
      .filter(({ name }) => texts[name] !== before[name])
      .map((field) => [field.name, toValue(field, texts[field.name] ?? '')]),
  )
