import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { isKind, kindOperations, type AnyEntity, type Kind } from '../../api/kind-operations.ts'
import { entityQuery } from '../../api/queries/entities.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonProperties } from '../../ui/skeleton.tsx'
import { NotFoundPage } from '../not-found-page.tsx'
import { NotAllowed } from '../../session/not-allowed.tsx'
import { EntityActions } from './entity-actions.tsx'
import { EntityProperties } from './entity-properties.tsx'
import { EntitySections } from './entity-sections.tsx'

export function IdentityEntityPage() {
  const { kind, id } = useParams({ strict: false })
  if (!isKind(kind) || id === undefined) return <NotFoundPage />
  return <EntityPage key={`${kind} ${id}`} kind={kind} id={id} />
}

interface Props {
  readonly kind: Kind
  readonly id: string
}

function EntityPage({ kind, id }: Props) {
  const t = useAllMessages()
  const permission = usePermission(kindOperations[kind].get)
  const query = useQuery({ ...entityQuery(kind, id), enabled: permission.allowed })
  const entity: AnyEntity | undefined = query.data
  return (
    <Page
      title={entity?.name ?? t.identity.one[kind]}
      lead={
        <Link to="/identity/$kind" params={{ kind }}>
          {t.identity.kinds[kind]}
        </Link>
      }
      aside={entity && <EntityActions kind={kind} entity={entity} />}
    >
      {permission.reason === undefined ? (
        <QueryView query={query} skeleton={<SkeletonProperties />}>
          {(loaded) => (
            <>
              <EntityProperties kind={kind} entity={loaded} />
              <EntitySections kind={kind} entity={loaded} />
            </>
          )}
        </QueryView>
      ) : (
        <NotAllowed title={t.identity.notAllowed} reason={permission.reason} />
      )}
    </Page>
  )
}
