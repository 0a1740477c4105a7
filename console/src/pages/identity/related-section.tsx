import type { OperationId } from '@muster/contract'
import { useMutation, useQuery, useQueryClient, type UseQueryOptions } from '@tanstack/react-query'
import { useState } from 'react'
import type { AnyEntity, Kind } from '../../api/kind-operations.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Nothing, Section } from '../../ui/section.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { AddDialog } from './add-dialog.tsx'
import { EntityLink } from './entity-link.tsx'

interface Messages {
  readonly title: string
  readonly none: string
  readonly add: string
  readonly pick: string
  readonly remove: string
  readonly removeOf: (name: string) => string
  readonly added: (name: string) => string
  readonly removed: (name: string) => string
}

interface Props<Entity> {
  readonly texts: Messages
  readonly kind: Kind
  readonly query: Pick<UseQueryOptions<Entity[], Error, Entity[], string[]>, 'queryKey' | 'queryFn'>
  /** In addition to the name. */
  readonly columns: readonly Column<Entity>[]
  /** Why access is denied; undefined if allowed. */
  readonly hidden: string | undefined
  readonly addOperation: OperationId
  readonly removeOperation: OperationId
  readonly add: (id: string) => Promise<unknown>
  readonly remove: (id: string) => Promise<unknown>
}

/** A section to list, add and remove related entities: members, groups, bound policies. */
export function RelatedSection<Entity extends AnyEntity>(props: Props<Entity>) {
  const { texts, kind, columns } = props
  const t = useMessages()
  const queryClient = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const adding = usePermission(props.addOperation)
  const removing = usePermission(props.removeOperation)
  const query = useQuery({ ...props.query, enabled: props.hidden === undefined })
  const refresh = () => queryClient.invalidateQueries({ queryKey: props.query.queryKey })
  const remove = useMutation({
    mutationFn: ({ id }: Entity) => props.remove(id),
    async onSuccess(_, { name }) {
      await refresh()
      showToast(texts.removed(name))
    },
  })
  const all: readonly Column<Entity>[] = [
    {
      key: 'name',
      title: t.common.name,
      cell: ({ id, name }) => (
        <EntityLink kind={kind} id={id}>
          {name}
        </EntityLink>
      ),
    },
    ...columns,
    {
      key: 'remove',
      title: t.common.actions,
      number: true,
      cell: (entity) => (
        <Button
          small
          look="quiet"
          aria-label={texts.removeOf(entity.name)}
          disabledReason={removing.reason}
          busy={remove.isPending && remove.variables?.id === entity.id}
          onClick={() => remove.mutate(entity)}
        >
          {texts.remove}
        </Button>
      ),
    },
  ]
  return (
    <Section
      title={texts.title}
      actions={
        <Button small icon="plus" disabledReason={adding.reason} onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      }
    >
      {remove.isError && <ErrorNotice error={remove.error} />}
      {props.hidden === undefined ? (
        <QueryView query={query} empty={<Nothing>{texts.none}</Nothing>}>
          {(entities) => (
            <Table caption={texts.title} columns={all} rows={entities} rowKey={({ id }) => id} />
          )}
        </QueryView>
      ) : (
        <Nothing>{props.hidden}</Nothing>
      )}
      {isAdding && (
        <AddDialog
          title={texts.add}
          kind={kind}
          label={texts.pick}
          onAdd={props.add}
          onAdded={async (name) => {
            await refresh()
            showToast(texts.added(name))
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Section>
  )
}
