import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { isKind, kindOperations, type AnyThing, type Kind } from '../../api/kind-operations.ts'
import { thingQuery } from '../../api/queries/things.ts'
import { useMay } from '../../session/use-may.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { NoPage } from '../no-page.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { ThingActions } from './thing-actions.tsx'
import { ThingFacts } from './thing-facts.tsx'
import { ThingSections } from './thing-sections.tsx'

export function IdentityThingPage() {
  const { kind, id } = useParams({ strict: false })
  if (!isKind(kind) || id === undefined) return <NoPage />
  return <ThingPage key={`${kind} ${id}`} kind={kind} id={id} />
}

interface Props {
  readonly kind: Kind
  readonly id: string
}

function ThingPage({ kind, id }: Props) {
  const t = useMessages()
  const may = useMay(kindOperations[kind].get)
  const query = useQuery({ ...thingQuery(kind, id), enabled: may.allowed })
  const thing: AnyThing | undefined = query.data
  return (
    <Page
      title={thing?.name ?? t.identity.one[kind]}
      lead={
        <Link to="/identity/$kind" params={{ kind }}>
          {t.identity.kinds[kind]}
        </Link>
      }
      aside={thing && <ThingActions kind={kind} thing={thing} />}
    >
      {may.reason !== undefined && <NotAllowed reason={may.reason} />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <SkeletonRows />}
      {thing && (
        <>
          <ThingFacts kind={kind} thing={thing} />
          <ThingSections kind={kind} thing={thing} />
        </>
      )}
    </Page>
  )
}
