import { useEffect, useRef } from 'react'
import { copyText } from '../browser/copy-text.ts'
import { useMessages } from '../messages/use-messages.ts'
import { useValueNames } from '../servers/value-names.ts'
import menuStyles from '../ui/menu.module.css'
import { focusFirstItem, moveThroughItems } from '../ui/menu-keys.ts'
import { MenuHeading, MenuItem } from '../ui/menu.tsx'

export interface PickedValue {
  readonly name: string
  readonly value: string
}

/** Values of a row, and where their menu opens. */
export interface PickedValues {
  readonly values: readonly PickedValue[]
  readonly anchor: DOMRect
}

interface Props extends PickedValues {
  readonly onFilter: (picked: PickedValue) => void
  readonly onExclude: (picked: PickedValue) => void
  readonly onClose: () => void
}

/** The menu of a value in the table. */
export function ValueMenu({ values, anchor, onFilter, onExclude, onClose }: Props) {
  const t = useMessages()
  const names = useValueNames()
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const menu = element.current
    if (!menu) return
    menu.showPopover()
    menu.style.left = `${Math.max(8, Math.min(anchor.left, innerWidth - menu.offsetWidth - 8))}px`
    menu.style.top = `${Math.max(8, Math.min(anchor.bottom + 2, innerHeight - menu.offsetHeight - 8))}px`
    focusFirstItem(menu)
  }, [anchor])
  return (
    <div
      ref={element}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={t.servers.valueMenu}
      className={menuStyles.menu}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose()
      }}
      onKeyDown={moveThroughItems}
    >
      {values.map((picked) => (
        <div
          key={`${picked.name} ${picked.value}`}
          role="group"
          aria-label={`${picked.name}: ${picked.value}`}
        >
          <MenuHeading>
            {picked.name}: <bdi>{names.fullName(picked.name, picked.value)}</bdi>
          </MenuHeading>
          <MenuItem icon="filter" onSelect={() => onFilter(picked)}>
            {t.servers.filterTo}
          </MenuItem>
          <MenuItem icon="minus" onSelect={() => onExclude(picked)}>
            {t.servers.excludeValue}
          </MenuItem>
          {values.length === 1 && (
            <MenuItem icon="copy" onSelect={() => void copyText(picked.value)}>
              {t.common.copy}
            </MenuItem>
          )}
        </div>
      ))}
    </div>
  )
}
