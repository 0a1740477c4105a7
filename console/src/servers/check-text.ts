import type { Check } from '@muster/contract'
import type { Messages } from '../messages/en/index.ts'

/** The name and the description of a check. Those of built-in checks are in the user's language. */
export function checkText(
  { checks: { builtIn } }: Messages,
  { id, name, description, built_in }: Pick<Check, 'id' | 'name' | 'description' | 'built_in'>,
): { readonly name: string; readonly description: string } {
  const known = built_in ? builtIn[Number(/^c0*(\d+)$/.exec(id)?.[1]) - 1] : undefined
  return known ?? { name, description }
}

/** Whether a check is the built-in one about ends of support. */
export const isEndOfLife = ({ id, built_in }: Pick<Check, 'id' | 'built_in'>): boolean =>
  built_in && /^c0*2$/.test(id)

/** The name of a check in the user's language. Changes of servers have only its English name. */
export const checkName = ({ checks: { builtIn } }: Messages, english: string): string =>
  builtIn.find((known) => known.english === english)?.name ?? english
