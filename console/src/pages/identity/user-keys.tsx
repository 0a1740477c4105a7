import { useQuery } from '@tanstack/react-query'
import { accessKeysQuery } from '../../api/queries/access-keys.ts'
import { useUserPermission } from '../../session/use-user-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { QueryView } from '../../ui/query-view.tsx'
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
        <QueryView query={query} empty={<Nothing>{t.identity.noKeys}</Nothing>}>
          {(keys) => <KeysTable keys={keys} />}
        </QueryView>
      ) : (
        <Nothing>{permission.reason}</Nothing>
      )}
    </Section>
  )
}
