import { FreshNumber } from '../../charts/fresh-number.tsx'
import { shareOf } from '../../charts/scale.ts'
import { ServersLink } from '../../charts/servers-link.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { PlaceRow, WaitingRow } from './lay-out-places.ts'
import type { RegionName } from './open-places.ts'
import styles from './places-table.module.css'

interface Props {
  readonly rows: readonly (PlaceRow | WaitingRow)[]
  /** All servers. */
  readonly whole: number
  readonly onTurn: (region: RegionName) => void
  readonly onRetry: () => void
}

/** Providers, regions and zones under each other, each with how much is there. */
export function PlacesTable({ rows, whole, onTurn, onRetry }: Props) {
  const t = useMessages()
  const most = Math.max(0, ...rows.map((row) => (row.kind === 'place' ? row.group.count : 0)))
  return (
    <div className={styles.scroll} tabIndex={0} role="group" aria-label={t.places.caption}>
      <table className={styles.table}>
        <caption className="visuallyHidden">{t.places.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t.places.place}</th>
            <th scope="col" className={styles.wide}>
              {t.places.share}
            </th>
            <th scope="col" className={styles.number}>
              {t.places.servers}
            </th>
            <th scope="col" className={styles.number}>
              {t.places.vcpus}
            </th>
            <th scope="col" className={styles.number}>
              {t.places.memory}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) =>
            row.kind === 'place' ? (
              <Place key={row.key} row={row} whole={whole} most={most} onTurn={onTurn} />
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
    </div>
  )
}

interface PlaceProps extends Pick<Props, 'whole' | 'onTurn'> {
  readonly row: PlaceRow
  /** The longest bar stands for so many, on every level alike. */
  readonly most: number
}

function Place({ row, whole, most, onTurn }: PlaceProps) {
  const t = useMessages().places
  const { number, size, percent } = useFormat()
  const { level, group, q, region, isOpen } = row
  const name = row.isRest ? t.others : row.name || t.none
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
              onClick={() => onTurn(region)}
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
        <FreshNumber>{shown}</FreshNumber>
      </td>
      <td className={styles.number}>{number(group.vcpu_count)}</td>
      <td className={styles.number}>{size(group.vmem_size)}</td>
    </tr>
  )
}
