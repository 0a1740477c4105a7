import { useQuery } from '@tanstack/react-query'
import { accessKeysQuery } from '../../api/queries/access-keys.ts'
import { useMayOf } from '../../session/use-may-of.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Nothing, Section } from '../../ui/section.tsx'
import { KeysTable } from '../me/keys-table.tsx'

/** Somebody's access keys: to be looked at and taken away. They are made by their owner. */
export function UserKeys({ id }: { readonly id: string }) {
  const t = useMessages()
  const may = useMayOf('listCredentials', id)
  const query = useQuery({ ...accessKeysQuery(id), enabled: may.allowed })
  return (
    <Section title={t.identity.accessKeys}>
      {may.reason === undefined ? (
        <Loaded query={query}>
          {(keys) =>
            keys.length === 0 ? <Nothing>{t.identity.noKeys}</Nothing> : <KeysTable keys={keys} />
          }
        </Loaded>
      ) : (
        <Nothing>{may.reason}</Nothing>
      )}
    </Section>
  )
}
