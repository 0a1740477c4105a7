import type { Resource } from '@muster/contract'
import { FilterValue } from '../../inventory/filter-value.tsx'
import type { InventoryKind } from '../../inventory/kinds.ts'
import { ResourceLink } from '../../inventory/resource-link.tsx'
import styles from '../../inventory/list-table.module.css'
import { textOf, type ResourceRow } from '../../inventory/resource-row.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { ResourceValue } from './resource-value.tsx'
import { resources } from './resources.ts'

interface Props {
  readonly kind: InventoryKind
  readonly field: string
  readonly row: ResourceRow
}

/** The value of a field in the list. Values from a known set can be filtered by. */
export function ResourceCell({ kind, field, row }: Props) {
  const names = useValueNames()
  const resource: Resource = resources[kind]
  const text = textOf(row, field)
  if (field === 'name') {
    return (
      <div className={styles.nameCell}>
        <ResourceLink kind={kind} id={row.id}>
          {text}
        </ResourceLink>
      </div>
    )
  }
  const value = <ResourceValue kind={kind} field={field} row={row} />
  if (resource.fields[field]?.type !== 'enum') return value
  return (
    <FilterValue name={field} value={text} title={names.fullName(field, text)}>
      {value}
    </FilterValue>
  )
}
