import { useState } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField } from '../ui/field.tsx'
import styles from './columns-button.module.css'

interface Props<Name extends string> {
  readonly columns: readonly Name[]
  /** All columns, and those that are shown by default. */
  readonly names: readonly Name[]
  readonly defaults: readonly Name[]
  readonly titleOf: (name: Name) => string
  readonly onChange: (columns: readonly Name[]) => void
}

/** Opens the dialog of the columns. */
export function ColumnsButton<Name extends string>(props: Props<Name>) {
  const t = useMessages()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="columns" onClick={() => setOpen(true)} aria-haspopup="dialog">
        {t.servers.columnsButton}
      </Button>
      {isOpen && <ColumnsDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

function moved<Name>(columns: readonly Name[], name: Name, step: 1 | -1): Name[] {
  const at = columns.indexOf(name)
  const next = columns.filter((other) => other !== name)
  next.splice(at + step, 0, name)
  return next
}

/** Chooses the columns and their order. The list updates immediately. */
function ColumnsDialog<Name extends string>(props: Props<Name> & { readonly onClose: () => void }) {
  const { columns, names, defaults, titleOf, onChange, onClose } = props
  const t = useMessages()
  const hidden = names.filter((name) => !columns.includes(name))
  const isDefault = columns.join() === defaults.join()
  return (
    <Dialog
      title={t.servers.chooseColumns}
      onClose={onClose}
      footer={
        <>
          <Button
            {...(isDefault && { disabledReason: t.servers.columnsAreDefault })}
            onClick={() => onChange(defaults)}
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
          const title = titleOf(name)
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
