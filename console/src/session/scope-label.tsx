import type { OperationId, ScopeParameter } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import styles from './scope-label.module.css'
import { useSession } from './use-session.ts'

/**
 * The scope of an operation's response: the entire system, a domain, a project, or only the user's
 * own. The largest scope depends on the roles, not on the project at the top of the page.
 */
function useScopeLabel(operation: OperationId, requested: ScopeParameter = 'max'): string {
  const t = useMessages().scope
  const { permissions, scope } = useSession()
  const maxScope = permissions.find((entry) => entry.operation === operation)?.reach
  const covered = requested === 'max' ? maxScope : requested
  if (covered === 'system') return t.system
  if (covered === 'self') return t.self
  if (covered === 'domain' || scope.kind === 'domain') {
    return t.domain(scope.kind === 'domain' ? scope.name : scope.domain.name)
  }
  return scope.kind === 'none' ? '' : t.project(scope.name)
}

interface Props {
  readonly operation: OperationId
  readonly scope?: ScopeParameter
}

/** The scope of a figure, shown beside it. */
export function ScopeLabel({ operation, scope }: Props) {
  const t = useMessages().scope
  const label = useScopeLabel(operation, scope)
  if (label === '') return null
  return (
    <span className={styles.scope} title={t.hint}>
      <span className="visuallyHidden">{t.name} </span>
      {label}
    </span>
  )
}
