import { columnNames, defaultColumns, type ColumnName } from '../../servers/columns.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/field.tsx'
import styles from './columns-dialog.module.css'

interface Props {
  readonly columns: readonly ColumnName[]
  readonly onChange: (columns: readonly ColumnName[]) => void
  readonly onClose: () => void
}

function moved(columns: readonly ColumnName[], name: ColumnName, step: 1 | -1): ColumnName[] {
  const at = columns.indexOf(name)
  const next = columns.filter((other) => other !== name)
  next.splice(at + step, 0, name)
  return next
}

/** Chooses the columns and their order. The list updates immediately. */
export function ColumnsDialog({ columns, onChange, onClose }: Props) {
  const t = useMessages()
  const hidden = columnNames.filter((name) => !columns.includes(name))
  const isDefault = columns.join() === defaultColumns.join()
  return (
    <Dialog
      title={t.servers.chooseColumns}
      onClose={onClose}
      footer={
        <>
          <Button
            {...(isDefault && { disabledReason: t.servers.columnsAreDefault })}
            onClick={() => onChange(defaultColumns)}
          >
            {t.servers.defaultColumns}
          </Button>
          <Button look="primary" onClick={onClose}>
            {t.common.close}
          </Button>
        </>
      }
    >
      <ul className={styles.list}>
        {[...columns, ...hidden].map((name) => {
          const at = columns.indexOf(name)
          const title = t.servers.columns[name]
          return (
            <li key={name} className={styles.row}>
              <CheckField
                label={title}
                checked={at !== -1}
                disabledReason={name === 'name' ? t.servers.nameColumnFixed : undefined}
                onChange={() =>
                  onChange(
                    at === -1 ? [...columns, name] : columns.filter((other) => other !== name),
                  )
                }
              />
              {at > 1 && (
                <Button
                  look="quiet"
                  small
                  icon="up"
                  label={t.servers.moveUp(title)}
                  onClick={() => onChange(moved(columns, name, -1))}
                />
              )}
              {at > 0 && at < columns.length - 1 && (
                <Button
                  look="quiet"
                  small
                  icon="down"
                  label={t.servers.moveDown(title)}
                  onClick={() => onChange(moved(columns, name, 1))}
                />
              )}
            </li>
          )
        })}
      </ul>
    </Dialog>
  )
}
