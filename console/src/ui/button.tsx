import type { ComponentProps, ReactNode } from 'react'
import styles from './button.module.css'
import { Icon, type IconName } from './icon.tsx'
import { showToast } from './show-toast.ts'

interface Props extends Omit<ComponentProps<'button'>, 'disabled' | 'title'> {
  readonly look?: 'primary' | 'danger' | 'quiet'
  readonly small?: boolean
  readonly icon?: IconName
  /** The accessible name of an icon-only button. */
  readonly label?: string
  /** Why it is disabled. It stays visible and focusable, and shows the reason. */
  readonly disabledReason?: string | undefined
  readonly busy?: boolean
  readonly children?: ReactNode
}

export function buttonClass(look?: Props['look'], small?: boolean, iconOnly?: boolean): string {
  return [styles.button, look && styles[look], small && styles.small, iconOnly && styles.iconOnly]
    .filter(Boolean)
    .join(' ')
}

export function Button({
  look,
  small,
  icon,
  label,
  disabledReason,
  busy = false,
  children,
  onClick,
  className,
  ...others
}: Props) {
  const isDisabled = disabledReason !== undefined || busy
  return (
    <button
      type="button"
      {...others}
      className={[buttonClass(look, small, children === undefined), className]
        .filter(Boolean)
        .join(' ')}
      aria-label={label ?? others['aria-label']}
      aria-disabled={isDisabled || undefined}
      aria-busy={busy || undefined}
      title={disabledReason ?? (children === undefined ? label : undefined)}
      onClick={(event) => {
        if (isDisabled) {
          event.preventDefault()
          // Touch screens have no tooltips.
          if (disabledReason !== undefined) showToast(disabledReason)
        } else onClick?.(event)
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
      {disabledReason !== undefined && <span className="visuallyHidden">({disabledReason})</span>}
    </button>
  )
}
