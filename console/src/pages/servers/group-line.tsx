import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { groupedKey } from '../../servers/grouping.ts'
import type { GroupRow, ServerGroup } from '../../servers/server-groups.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import styles from './group-line.module.css'

interface Props {
  readonly groupBy: string
  readonly row: GroupRow
  readonly onOpen: () => void
}

/** A group in the list: its value, and the sums of its servers. */
export function GroupLine({ groupBy, row: { group, isOpen, isRest }, onOpen }: Props) {
  const { servers: t } = useMessages()
  const { number, size } = useFormat()
  const name = useGroupName(groupBy, group)
  const count = t.groupCount(group.count, number(group.count))
  if (isRest) {
    return (
      <button
        type="button"
        tabIndex={-1}
        className={`${buttonClass('quiet', true)} ${styles.rest}`}
        onClick={onOpen}
      >
        {t.showGroup(count, name)}
      </button>
    )
  }
  return (
    <div className={styles.line}>
      {group.term === undefined ? (
        <span className={styles.name}>{name}</span>
      ) : (
        <button
          type="button"
          tabIndex={-1}
          className={styles.name}
          aria-expanded={isOpen}
          title={name}
          onClick={onOpen}
        >
          <Icon name={isOpen ? 'down' : 'right'} />
          <bdi>{name}</bdi>
        </button>
      )}
      <span className={styles.count}>{count}</span>
      <span className={styles.sum}>
        {group.running !== undefined && t.groupRunning(number(group.running))}
      </span>
      <span className={styles.sum}>{t.groupVcpus(number(group.vcpu_count))}</span>
      <span className={styles.sum}>{size(group.vmem_size)}</span>
    </div>
  )
}

/** The value of a group in words. */
function useGroupName(groupBy: string, { term, value }: ServerGroup): string {
  const { servers: t } = useMessages()
  const names = useValueNames()
  if (term === undefined) return t.otherValues
  if (value === null) return t.withoutTag
  const key = groupedKey(groupBy) ?? groupBy
  if (value === '') return key === 'tag' ? t.emptyTag : t.unknownValue
  return names.name(key, value)
}
