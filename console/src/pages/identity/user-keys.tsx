import { useQuery } from '@tanstack/react-query'
import { accessKeysQuery } from '../../api/queries/access-keys.ts'
import { useUserPermission } from '../../session/use-user-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Nothing, Section } from '../../ui/section.tsx'
import { KeysTable } from '../me/keys-table.tsx'

/** Somebody's access keys: to be looked at and taken away. They are made by their owner. */
export function UserKeys({ id }: { readonly id: string }) {
  const t = useMessages()
  const permission = useUserPermission('listCredentials', id)
  const query = useQuery({ ...accessKeysQuery(id), enabled: permission.allowed })
  return (
    <Section title={t.identity.accessKeys}>
      {permission.reason === undefined ? (
        <Loaded query={query}>
          {(keys) =>
            keys.length === 0 ? <Nothing>{t.identity.noKeys}</Nothing> : <KeysTable keys={keys} />
          }
        </Loaded>
      ) : (
        <Nothing>{permission.reason}</Nothing>
      )}
    </Section>
  )
}
