import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import type { IconName } from '../ui/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { isImmediate, type ActionName } from './server-action.ts'
import styles from './actions.module.css'

const icons: Partial<Record<ActionName, IconName>> = {
  start: 'play',
  stop: 'stop',
  restart: 'power',
  update: 'edit',
  delete: 'trash',
  'delete-now': 'trash',
  'cancel-delete': 'up',
}

interface Props {
  readonly buttons: readonly ActionName[]
  /** The items of the menu after the buttons. */
  readonly items: readonly ActionName[]
  readonly busy?: ActionName | undefined
  /** Whether all actions open a dialog first. */
  readonly isBatch?: boolean
  readonly whyNot: (name: ActionName) => string | undefined
  readonly onAction: (name: ActionName) => void
}

/** Actions as buttons and a menu. */
export function ActionButtons(props: Props) {
  const { buttons, items, busy, isBatch = false, whyNot, onAction } = props
  const { actions: t } = useMessages()
  const iconOf = (name: ActionName) => {
    const icon = icons[name]
    return icon && { icon }
  }
  return (
    <div className={styles.buttons} role="group" aria-label={t.group}>
      {buttons.map((name) => (
        <Button
          key={name}
          small
          {...iconOf(name)}
          busy={busy === name}
          disabledReason={whyNot(name)}
          onClick={() => onAction(name)}
        >
          {t.names[name]}
        </Button>
      ))}
      <Menu
        label={t.more}
        trigger={(properties) => <Button small icon="more" label={t.more} {...properties} />}
      >
        {items.map((name) => (
          <div key={name} role="none">
            {name === 'delete' && <MenuLine />}
            <MenuItem
              {...iconOf(name)}
              disabledReason={whyNot(name)}
              onSelect={() => onAction(name)}
            >
              {t.names[name]}
              {(isBatch || !isImmediate(name)) && '…'}
            </MenuItem>
          </div>
        ))}
      </Menu>
    </div>
  )
}
