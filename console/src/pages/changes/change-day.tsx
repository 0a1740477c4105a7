import { useQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { changeCountsQuery, type ChangeFilter } from '../../api/queries/changes.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import type { ChangeWords } from '../../servers/describe-changes.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { useSeen } from '../../ui/use-seen.ts'
import { filterOfDay } from './change-state.ts'
import { readMoment } from '../../url/read-moment.ts'
import styles from './changes.module.css'
import { projectRows, type ProjectRow } from './group-counts.ts'
import { ProjectChanges } from './project-changes.tsx'
import { useChangeKinds } from './use-change-state.ts'

/** More projects are shown on demand. */
const mostProjects = 30

interface Props {
  readonly date: string
  /** Undefined if not all of its changes were counted. */
  readonly count: number | undefined
  readonly filter: ChangeFilter
  readonly now: number
  readonly words: ChangeWords
  /** The projects whose changes are shown, each with its day. */
  readonly open: readonly string[]
  readonly onToggle: (entry: string) => void
}

/** A day: a sentence for each project. Loaded when it comes near the visible part of the page. */
export function ChangeDay({ date, count, filter, now, words, open, onToggle }: Props) {
  const { changes: t } = useMessages()
  const { number, fullDay, dateTime } = useFormat()
  const id = useId()
  const section = useRef<HTMLElement>(null)
  const isSeen = useSeen(section)
  const [areAllShown, setAllShown] = useState(false)
  const all = useChangeKinds()
  const ofDay = filterOfDay(filter, date, now)
  const isPolled = (readMoment(ofDay.until ?? '', now) ?? now) >= now
  const counts = useQuery({
    ...changeCountsQuery(ofDay, ['project', 'kind'], isPolled),
    enabled: isSeen,
  })
  const isOpen = (project: string) => open.includes(`${date}/${project}`)
  return (
    <section ref={section} className={styles.day} aria-labelledby={id}>
      <h2 id={id}>
        {fullDay(date)}
        {count !== undefined && (
          <span className={styles.soft}> {t.total(count, number(count))}</span>
        )}
      </h2>
      {isSeen ? (
        <QueryView query={counts} skeleton={<SkeletonRows rows={3} isPlain />}>
          {(data) => {
            const kinds = filter.kinds.length > 0 ? filter.kinds : all
            const rows = projectRows(data, kinds, words.projectName)
            const shown = areAllShown
              ? rows
              : rows.filter((row, at) => at < mostProjects || isOpen(row.id))
            return (
              <>
                {data.counted_since !== null && (
                  <p className={styles.soft}>
                    {t.atLeast(number(data.total), dateTime(data.counted_since))}
                  </p>
                )}
                {rows.length === 0 && <p className={styles.soft}>{t.nothingOn}</p>}
                <ul className={styles.projects}>
                  {shown.map((row) => (
                    <li key={row.id}>
                      <Project
                        row={row}
                        filter={ofDay}
                        words={words}
                        isOpen={isOpen(row.id)}
                        onToggle={() => onToggle(`${date}/${row.id}`)}
                      />
                    </li>
                  ))}
                </ul>
                {shown.length < rows.length && (
                  <div>
                    <Button small onClick={() => setAllShown(true)}>
                      {t.projects(number(rows.length))}
                    </Button>
                  </div>
                )}
              </>
            )
          }}
        </QueryView>
      ) : (
        <div className={styles.later} />
      )}
    </section>
  )
}

interface ProjectProps {
  readonly row: ProjectRow
  readonly filter: ChangeFilter
  readonly words: ChangeWords
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** "web: 42 appeared, 7 gone", which opens to the changes. */
function Project({ row, filter, words, isOpen, onToggle }: ProjectProps) {
  const { changes: t } = useMessages()
  const { number } = useFormat()
  const id = useId()
  const name = words.projectName(row.id)
  return (
    <>
      <h3>
        <button
          type="button"
          className={styles.project}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={onToggle}
        >
          <Icon name={isOpen ? 'down' : 'right'} />
          <span className={styles.name}>
            <bdi>{name}</bdi>
          </span>{' '}
          <span className={styles.sentence}>
            {t.sentence(row.counts.map(({ kind, count }) => t.counts[kind](count, number(count))))}
          </span>
        </button>
      </h3>
      {isOpen && (
        <div id={id} className={styles.opened}>
          <ProjectChanges projectId={row.id} filter={filter} words={words} />
        </div>
      )}
    </>
  )
}
