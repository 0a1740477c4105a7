import type { ServerChange } from '@muster/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { projectChangesQuery, type ChangeFilter } from '../../api/queries/changes.ts'
import { rowsOf } from '../../api/query-result.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { describeChanges, introduce, type ChangeWords } from '../../servers/describe-changes.ts'
import { FieldChanges } from '../../servers/field-changes.tsx'
import { usePermission } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import styles from './changes.module.css'
import { isThroughMuster } from './group-counts.ts'

interface Props {
  readonly projectId: string
  readonly filter: ChangeFilter
  readonly words: ChangeWords
}

/** The changes of a project on a day: what people did through Muster, then what sources showed. */
export function ProjectChanges({ projectId, filter, words }: Props) {
  const { changes: t, common } = useMessages()
  const { number } = useFormat()
  const list = useInfiniteQuery(projectChangesQuery(filter, projectId))
  return (
    <QueryView
      query={rowsOf(list, (page) => page.changes)}
      empty={<p className={styles.soft}>{t.nothingOn}</p>}
    >
      {(changes) => {
        const through = changes.filter(isThroughMuster)
        const observed = changes.filter((change) => !isThroughMuster(change))
        return (
          <div className={styles.groups}>
            <ChangeGroup title={t.throughMuster} changes={through} words={words} />
            <ChangeGroup title={t.observed} changes={observed} words={words} />
            {list.hasNextPage && (
              <div className={styles.more}>
                <Button
                  small
                  busy={list.isFetchingNextPage}
                  onClick={() => void list.fetchNextPage()}
                >
                  {common.more}
                </Button>
                <span role="status">{t.loaded(number(changes.length))}</span>
              </div>
            )}
          </div>
        )
      }}
    </QueryView>
  )
}

interface GroupProps {
  readonly title: string
  readonly changes: readonly ServerChange[]
  readonly words: ChangeWords
}

function ChangeGroup({ title, changes, words }: GroupProps) {
  if (changes.length === 0) return null
  return (
    <>
      <h4>{title}</h4>
      <ol aria-label={title} className={styles.group}>
        {changes.map((change) => (
          <ChangeItem key={change.id} change={change} words={words} />
        ))}
      </ol>
    </>
  )
}

/** Kinds that a server as a whole has. Of the others, the fields tell. */
const isOfServer = (kind: string) => kind === 'appeared' || kind === 'gone' || kind === 'returned'

interface ItemProps {
  readonly change: ServerChange
  readonly words: ChangeWords
}

function ChangeItem({ change, words }: ItemProps) {
  const { changes: t } = useMessages()
  const { clock, dateTime } = useFormat()
  const { time, kinds, server_id: id, server_name: name, not_observed_since: since } = change
  const isWhole = kinds.some(isOfServer)
  const fields = isWhole ? [] : describeChanges(change.changes, words)
  const introduction = isWhole ? introduce(change.changes, words) : ''
  return (
    <li className={styles.change}>
      <time dateTime={time} title={`${dateTime(time)} · ${time}`} className={styles.soft}>
        {clock(Date.parse(time))}
      </time>
      <div className={styles.what}>
        <p>
          <Link to="/servers/$id" params={{ id }} className={styles.server}>
            <bdi>{name}</bdi>
          </Link>
          {fields.length === 0 && (
            <span className={styles.kinds}>{t.sentence(kinds.map((kind) => t.kinds[kind]))}</span>
          )}
          <Origin change={change} />
        </p>
        {introduction !== '' && (
          <p className={styles.soft}>
            <bdi>{introduction}</bdi>
          </p>
        )}
        <FieldChanges changes={fields} />
        {since !== null && (
          <p className={styles.soft}>{t.notObserved(dateTime(since), dateTime(time))}</p>
        )}
      </div>
    </li>
  )
}

/** Links to what caused the change, if it was done through Muster. */
function Origin({ change }: { readonly change: ServerChange }) {
  const { changes: t } = useMessages()
  const { allowed } = usePermission('listEvents')
  const { server_id: id, task_id, request_id } = change
  return (
    <>
      {task_id !== '' && (
        <Link to="/servers/$id/$tab" params={{ id, tab: 'tasks' }} className={styles.origin}>
          {t.task}
        </Link>
      )}
      {request_id !== '' && allowed && (
        <Link to="/activity" search={{ request_id }} className={styles.origin}>
          {t.who}
        </Link>
      )}
    </>
  )
}
