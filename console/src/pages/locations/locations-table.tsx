import { Highlight } from '../../ui/highlight.tsx'
import { shareOf } from '../../charts/scale.ts'
import { ServersLink } from '../../charts/servers-link.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { LocationRow, WaitingRow } from './location-rows.ts'
import type { RegionName } from './open-regions.ts'
import styles from './locations-table.module.css'

interface Props {
  readonly rows: readonly (LocationRow | WaitingRow)[]
  /** All servers. */
  readonly whole: number
  readonly onToggle: (region: RegionName) => void
  readonly onRetry: () => void
}

/** The table of providers, regions and zones. */
export function LocationsTable({ rows, whole, onToggle, onRetry }: Props) {
  const t = useMessages()
  const most = Math.max(0, ...rows.map((row) => (row.kind === 'location' ? row.group.count : 0)))
  return (
    <ScrollArea className={styles.scroll} label={t.locations.caption}>
      <table className={styles.table}>
        <caption className="visuallyHidden">{t.locations.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t.locations.location}</th>
            <th scope="col" className={styles.wide}>
              {t.locations.share}
            </th>
            <th scope="col" className={styles.number}>
              {t.locations.servers}
            </th>
            <th scope="col" className={styles.number}>
              {t.locations.vcpus}
            </th>
            <th scope="col" className={styles.number}>
              {t.locations.memory}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) =>
            row.kind === 'location' ? (
              <Location key={row.key} row={row} whole={whole} most={most} onToggle={onToggle} />
            ) : (
              <tr key={row.key} className={styles[row.level]}>
                <td colSpan={5}>
                  {row.kind === 'pending' ? (
                    t.common.loading
                  ) : (
                    <Button small icon="refresh" onClick={onRetry}>
                      {t.common.retry}
                    </Button>
                  )}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </ScrollArea>
  )
}

interface LocationProps extends Pick<Props, 'whole' | 'onToggle'> {
  readonly row: LocationRow
  /** The count of the longest bar. */
  readonly most: number
}

function Location({ row, whole, most, onToggle }: LocationProps) {
  const t = useMessages().locations
  const { number, size, percent } = useFormat()
  const { level, group, q, region, isOpen } = row
  const names = useValueNames()
  const name = row.isRest ? t.others : names.name(level, row.name) || t.none
  const shown = number(group.count)
  return (
    <tr className={styles[level]}>
      <th scope="row">
        <span className={styles.name}>
          {region && (
            <button
              type="button"
              className={isOpen ? `${styles.turn} ${styles.isOpen}` : styles.turn}
              aria-expanded={isOpen}
              aria-label={t.open(name)}
              onClick={() => onToggle(region)}
            >
              <Icon name="right" size={12} />
            </button>
          )}
          <ServersLink q={q} title={t.show(name, group.count, shown)}>
            {name}
          </ServersLink>
          <span className={styles.level}>{t[level]}</span>
        </span>
      </th>
      <td className={styles.wide}>
        <span className={styles.share}>
          <span aria-hidden="true">
            <span className={styles.bar} style={{ inlineSize: shareOf(group.count, most) }} />
          </span>
          {percent(group.count, whole)}
        </span>
      </td>
      <td className={styles.number}>
        <Highlight value={shown} />
      </td>
      <td className={styles.number}>{number(group.vcpu_count)}</td>
      <td className={styles.number}>{size(group.vmem_size)}</td>
    </tr>
  )
}
