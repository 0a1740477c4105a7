import { batchStatuses, taskStatuses } from '@muster/contract/names'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { TaskList } from '../../actions/task-list.tsx'
import { useBatchColumns, useTaskColumns } from '../../actions/use-task-columns.tsx'
import styles from '../../actions/tasks.module.css'
import type { TaskFilters } from '../../api/queries/task-query.ts'
import { batchesQuery, tasksQuery, batchRefusalsQuery } from '../../api/queries/tasks.ts'
import { useDebouncedInput } from '../../form/use-debounced-input.ts'
import { useMomentText } from '../../inventory/use-as-of.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { tabClass, Tabs } from '../../ui/tabs.tsx'
import { linkedFilters, readTaskFilters } from './task-filters.ts'
import { PreviewGroups } from '../../actions/preview-groups.tsx'

/** The servers of a batch that have no task. */
function BatchRefusals({ id }: { readonly id: string }) {
  const { tasks: t } = useMessages()
  const { data: refusals = [] } = useQuery(batchRefusalsQuery(id))
  if (refusals.length === 0) return null
  const items = refusals.map(({ server_id }) => ({
    server_id,
    server: '',
    outcome: 'refused' as const,
    reason: t.noSuchServer,
  }))
  return <PreviewGroups label={t.refusals} items={items} />
}

/** The tasks and batches that the user can see. */
export function TasksPage() {
  const { tasks: t, activity } = useMessages()
  const navigate = useNavigate()
  const search = useSearch({ strict: false })
  const isBatches = search['view'] === 'batches'
  const filters = readTaskFilters(search, isBatches)
  const change = (next: TaskFilters) =>
    void navigate({
      to: '/tasks',
      search: { ...(isBatches && { view: 'batches' }), ...next },
    })
  const narrow = (more: TaskFilters) => change({ ...filters, ...more })
  const taskColumns = useTaskColumns(narrow)
  const batchColumns = useBatchColumns(narrow)
  const isNarrowed = Object.keys(filters).length > 0
  const empty = isNarrowed ? (
    <EmptyState
      title={t.noMatch}
      actions={<Button onClick={() => change({})}>{activity.clear}</Button>}
    >
      {t.noMatchText}
    </EmptyState>
  ) : (
    <EmptyState title={isBatches ? t.noBatches : t.empty}>
      {isBatches ? t.noBatchesText : t.emptyText}
    </EmptyState>
  )
  const tab = (title: string, view: string | undefined) => (
    <Link
      to="/tasks"
      search={{ view }}
      className={tabClass}
      // Otherwise the router marks the first tab on the second one's address, too.
      activeOptions={{ exact: true }}
      aria-current={(search['view'] === 'batches') === (view === 'batches') ? 'page' : undefined}
    >
      {title}
    </Link>
  )
  return (
    <Page
      title={t.title}
      lead={isBatches ? t.batchesLead : t.lead}
      aside={<ScopeLabel operation={isBatches ? 'listBatches' : 'listTasks'} />}
    >
      <Tabs label={t.parts}>
        {tab(t.title, undefined)}
        {tab(t.batches, 'batches')}
      </Tabs>
      <TaskFilterBar filters={filters} isBatches={isBatches} onChange={change} />
      {filters.batch_id !== undefined && <BatchRefusals id={filters.batch_id} />}
      {isBatches ? (
        <TaskList
          query={batchesQuery(filters)}
          caption={t.batches}
          columns={batchColumns}
          empty={empty}
        />
      ) : (
        <TaskList
          query={tasksQuery(filters)}
          caption={t.title}
          columns={taskColumns}
          empty={empty}
        />
      )}
    </Page>
  )
}

interface FilterBarProps {
  readonly filters: TaskFilters
  readonly isBatches: boolean
  readonly onChange: (filters: TaskFilters) => void
}

/** The filters, stored in the address. */
function TaskFilterBar({ filters, isBatches, onChange }: FilterBarProps) {
  const momentText = useMomentText()
  const { tasks: t, actions, activity } = useMessages()
  const set = (changes: TaskFilters) => onChange({ ...filters, ...changes })
  const { box, text, type } = useDebouncedInput(filters.search ?? '', (next) =>
    set({ search: next.trim() }),
  )
  const linked = linkedFilters.filter((name) => filters[name] !== undefined)
  return (
    <>
      <search className={styles.filters} aria-label={activity.filters}>
        <SelectField
          label={t.status}
          value={filters.status ?? ''}
          onChange={(event) => set({ status: event.target.value })}
        >
          <option value="">{t.anyStatus}</option>
          {(isBatches ? batchStatuses : [...taskStatuses, 'refused' as const]).map((status) => (
            <option key={status} value={status}>
              {t.statuses[status]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t.action}
          value={filters.action ?? ''}
          onChange={(event) => set({ action: event.target.value })}
        >
          <option value="">{t.anyAction}</option>
          {Object.entries(actions.names)
            .filter(([name]) => name !== 'delete-now')
            .map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
        </SelectField>
        {!isBatches && (
          <TextField
            ref={box}
            label={t.search}
            required
            value={text}
            onChange={(event) => type(event.target.value)}
          />
        )}
      </search>
      {linked.length > 0 && (
        <div className={styles.chips}>
          {linked.map((name) => {
            const { [name]: value = '', ...others } = filters
            const text = `${t.only[name]}: ${name === 'since' ? momentText(value) : value}`
            return (
              <Button
                key={name}
                small
                icon="close"
                aria-label={t.removeFilter(text)}
                onClick={() => onChange(others)}
              >
                {text}
              </Button>
            )
          })}
        </div>
      )}
    </>
  )
}
