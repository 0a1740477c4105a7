import type { Messages } from '../messages/en/index.ts'

interface Role {
  readonly name: string
  readonly description?: string
}

/** What a role is called, and what it allows. Built-in roles have texts in the language of the page. */
export const roleText = (
  { session: { roleTexts } }: Messages,
  { name, description = '' }: Role,
): { readonly label: string; readonly hint: string } =>
  roleTexts[name] ?? { label: name, hint: description }
