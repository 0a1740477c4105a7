import type { Batch, Task } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { dismissTasks } from '../api/queries/tracked-tasks.ts'
import { endedItems, isUnfinished, progressOf, type Tracked } from '../api/tracked-tasks.ts'
import { useFormat } from '../messages/use-format.ts'
import { describeTaskError } from '../messages/describe-problem.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { FailureDialog } from '../ui/failure-dialog.tsx'
import { CancelButton } from './cancel-button.tsx'
import { RetryButton } from './retry-button.tsx'
import { actionName } from './server-action.ts'
import styles from './tasks.module.css'
import { statusOf } from './status-of.ts'
import { TaskStatus } from './task-status.tsx'
import { useServerCount } from './use-server-count.ts'
import { useBatchCounts } from './use-task-columns.tsx'
import { canUndo, useUndo } from './use-undo.ts'

/** The tasks that the user follows, over every page. Ended ones stay until they are dismissed. */
export function TaskDrawer({ items }: { readonly items: readonly Tracked[] }) {
  const { tasks: t } = useMessages()
  const { number } = useFormat()
  const [isOpen, setOpen] = useState(true)
  const element = useToastMargin()
  const running = items.filter(isUnfinished).length
  const ended = items.filter((item) => !isUnfinished(item)).map(({ id }) => id)
  return (
    <section ref={element} className={styles.drawer} aria-label={t.drawer} data-open={isOpen}>
      <div className={styles.head}>
        <h2>{running > 0 ? t.unfinished(running, number(running)) : t.allDone}</h2>
        <Button
          small
          look="quiet"
          icon={isOpen ? 'down' : 'up'}
          label={isOpen ? t.collapse : t.expand}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        {ended.length > 0 && (
          <Button
            small
            look="quiet"
            icon="close"
            label={t.dismissAll}
            onClick={() => dismissTasks(ended)}
          />
        )}
      </div>
      {isOpen && (
        <ul className={styles.items} tabIndex={0} aria-label={t.title}>
          {items.map((item) => (
            <DrawerItem key={item.id} item={item} />
          ))}
        </ul>
      )}
      <Announcer items={items} />
    </section>
  )
}

/** Messages of the page appear above the drawer. */
function useToastMargin() {
  const element = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => {
      style.setProperty('--drawer', `${element.current?.offsetHeight ?? 0}px`)
    })
    if (element.current) observer.observe(element.current)
    return () => {
      observer.disconnect()
      style.removeProperty('--drawer')
    }
  }, [])
  return element
}

function useLabel(): (item: Tracked) => string {
  const { actions, tasks: t } = useMessages()
  const serverCount = useServerCount()
  return (item) => {
    const value: Task | Batch | undefined = item.kind === 'task' ? item.task : item.batch
    if (!value) return t.title
    const target = 'server' in value ? value.server : serverCount(value.total, value.refused)
    return actions.on(actions.names[actionName(value.action, value.params)], target)
  }
}

/** Reads out which tasks have ended. */
function Announcer({ items }: { readonly items: readonly Tracked[] }) {
  const { tasks: t } = useMessages()
  const labelOf = useLabel()
  const [text, setText] = useState('')
  const before = useRef(items)
  useEffect(() => {
    const ended = endedItems(before.current, items)
    before.current = items
    if (ended.length === 0) return
    const lines = ended.map((item) => {
      const value = item.kind === 'task' ? item.task : item.batch
      return `${labelOf(item)}: ${value ? t.statuses[statusOf(value)] : ''}`
    })
    setText(lines.join('. '))
  }, [items, labelOf, t])
  return (
    <div className="visuallyHidden" role="status" aria-live="polite">
      {text}
    </div>
  )
}

function DrawerItem({ item }: { readonly item: Tracked }) {
  const messages = useMessages()
  const { tasks: t } = messages
  const label = useLabel()(item)
  const counts = useBatchCounts()
  const undo = useUndo(item)
  const isRunning = isUnfinished(item)
  const value = item.kind === 'task' ? item.task : item.batch
  return (
    <li className={styles.item}>
      <div>
        {item.kind === 'task' && item.task ? (
          <Link
            to="/servers/$id"
            params={{ id: item.task.server_id }}
            search={{ as_of: undefined }}
            preload={false}
          >
            <bdi>{label}</bdi>
          </Link>
        ) : (
          <Link to="/tasks" search={{ batch_id: item.id }} preload={false}>
            {label}
          </Link>
        )}{' '}
        {value && <TaskStatus of={value} />}
        {item.kind === 'task' && item.task && <p>{describeTaskError(messages, item.task)}</p>}
        {item.kind === 'batch' && item.batch && <p className={styles.soft}>{counts(item.batch)}</p>}
      </div>
      <div className={styles.itemButtons}>
        {isRunning && value && value.status !== 'cancelled' && (
          <CancelButton kind={item.kind} id={item.id} label={label} />
        )}
        {canUndo(item) && (
          <Button
            small
            busy={undo.isPending}
            aria-label={t.undoOf(label)}
            onClick={() => undo.mutate()}
          >
            {t.undo}
          </Button>
        )}
        {value && <RetryButton of={value} label={label} />}
        {!isRunning && (
          <Button
            small
            look="quiet"
            icon="close"
            label={t.dismissOf(label)}
            onClick={() => dismissTasks([item.id])}
          />
        )}
      </div>
      {isRunning && (
        <progress max={100} value={progressOf(item)} aria-label={t.progressOf(label)} />
      )}
      {undo.isError && (
        <FailureDialog
          title={t.undoOf(label)}
          error={undo.error}
          onRetry={() => undo.mutate()}
          onClose={undo.reset}
        />
      )}
    </li>
  )
}
