import { useMessages } from '../messages/use-messages.ts'
import { roleText } from './role-text.ts'

/** What a role is called, and its name in the API in small print. */
export function RoleName({ name }: { readonly name: string }) {
  const { label } = roleText(useMessages(), { name })
  return (
    <>
      <bdi>{label}</bdi>
      {label !== name && <small> {name}</small>}
    </>
  )
}
