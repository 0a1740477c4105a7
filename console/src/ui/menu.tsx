import { useId, useRef, type ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { focusFirstItem, moveThroughItems } from './menu-keys.ts'
import styles from './menu.module.css'
import { showToast } from './show-toast.ts'

interface Props {
  /** Renders the button that opens the menu, with the given properties. */
  readonly trigger: (properties: MenuTrigger) => ReactNode
  readonly label: string
  readonly onOpen?: () => void
  readonly children: ReactNode
}

interface MenuTrigger {
  readonly popoverTarget: string
  readonly 'aria-haspopup': 'menu'
  readonly id: string
}

/** A menu as a popover: Escape and a click elsewhere close it. */
export function Menu({ trigger, label, onOpen, children }: Props) {
  const id = useId()
  const element = useRef<HTMLDivElement>(null)

  function updatePosition(): void {
    const menu = element.current
    const button = document.getElementById(`${id}-trigger`)
    if (!menu || !button) return
    const { left, right, bottom, top } = button.getBoundingClientRect()
    const { offsetWidth: width, offsetHeight: height } = menu
    const fitsBelow = bottom + height + 8 <= innerHeight || top < innerHeight / 2
    menu.style.top = fitsBelow ? `${bottom + 4}px` : `${Math.max(8, top - height - 4)}px`
    const start = left + width + 8 <= innerWidth ? left : right - width
    menu.style.left = `${Math.max(8, start)}px`
  }

  return (
    <>
      {trigger({ popoverTarget: id, 'aria-haspopup': 'menu', id: `${id}-trigger` })}
      <div
        ref={element}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className={styles.menu}
        onToggle={(event) => {
          if (event.newState !== 'open') return
          onOpen?.()
          updatePosition()
          focusFirstItem(event.currentTarget)
        }}
        onKeyDown={moveThroughItems}
      >
        {children}
      </div>
    </>
  )
}

interface ItemProps {
  readonly onSelect: () => void
  readonly icon?: IconName
  readonly hint?: ReactNode
  readonly checked?: boolean
  readonly disabledReason?: string | undefined
  /** Keeps the menu open, for checking several items. */
  readonly stays?: boolean
  readonly children: ReactNode
}

export function MenuItem({
  onSelect,
  icon,
  hint,
  checked,
  disabledReason,
  stays,
  children,
}: ItemProps) {
  return (
    <button
      type="button"
      role={checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      aria-checked={checked}
      aria-disabled={disabledReason !== undefined || undefined}
      title={disabledReason}
      tabIndex={-1}
      className={styles.item}
      onClick={(event) => {
        if (disabledReason !== undefined) return showToast(disabledReason)
        if (!stays) event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
        onSelect()
      }}
    >
      {checked !== undefined && (
        <span aria-hidden="true">{checked ? <Icon name="check" /> : <Blank />}</span>
      )}
      {icon && <Icon name={icon} />}
      <span>{children}</span>
      {hint !== undefined && <span className={styles.hint}>{hint}</span>}
    </button>
  )
}

const Blank = () => <svg width="16" height="16" aria-hidden="true" />

export const MenuLine = () => <hr className={styles.line} />

export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return (
    <div className={styles.heading} role="presentation">
      {children}
    </div>
  )
}
