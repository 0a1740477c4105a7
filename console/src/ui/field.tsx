import { useId, type ComponentProps, type ReactNode } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import styles from './field.module.css'
import { StatusShape } from './status-mark.tsx'

interface Shared {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
}

/** Ties label, hint and error to one control. */
function Frame({
  id,
  label,
  hint,
  error,
  required,
  children,
}: Shared & { readonly id: string; readonly required: boolean; readonly children: ReactNode }) {
  const t = useMessages()
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
        {!required && <span className={styles.optional}> {t.common.optional}</span>}
      </label>
      {children}
      {hint !== undefined && (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      )}
      {error !== undefined && (
        <div id={`${id}-error`} className={styles.error}>
          <StatusShape tone="bad" />
          {error}
        </div>
      )}
    </div>
  )
}

function described(id: string, { hint, error }: Shared): string | undefined {
  const ids = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`]
  return ids.filter(Boolean).join(' ') || undefined
}

export function TextField({ label, hint, error, ...input }: Shared & ComponentProps<'input'>) {
  const id = useId()
  const shared = { label, hint, ...(error !== undefined && { error }) }
  return (
    <Frame id={id} required={input.required ?? false} {...shared}>
      <input
        id={id}
        className={styles.input}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={described(id, shared)}
        autoComplete="off"
        {...input}
      />
    </Frame>
  )
}

export function LongTextField({
  label,
  hint,
  error,
  ...area
}: Shared & ComponentProps<'textarea'>) {
  const id = useId()
  const shared = { label, hint, ...(error !== undefined && { error }) }
  return (
    <Frame id={id} required={area.required ?? false} {...shared}>
      <textarea
        id={id}
        className={styles.input}
        spellCheck={false}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={described(id, shared)}
        {...area}
      />
    </Frame>
  )
}

export function SelectField({
  label,
  hint,
  error,
  children,
  ...select
}: Shared & ComponentProps<'select'>) {
  const id = useId()
  const shared = { label, hint, ...(error !== undefined && { error }) }
  return (
    <Frame id={id} required={select.required ?? true} {...shared}>
      <select
        id={id}
        className={styles.input}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={described(id, shared)}
        {...select}
      >
        {children}
      </select>
    </Frame>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly choices: readonly {
    readonly value: string
    readonly label: string
    readonly hint?: string
    readonly disabledReason?: string | undefined
  }[]
  readonly error?: string | undefined
  readonly onChange: (value: string) => void
}

/** One of a few, each with an explanation. */
export function ChoiceField({ label, name, value, choices, error, onChange }: ChoiceProps) {
  return (
    <fieldset className={styles.choices}>
      <legend className={styles.label}>{label}</legend>
      {choices.map(({ value: own, label, hint, disabledReason }) => (
        <label key={own} className={styles.choice} title={disabledReason}>
          <input
            type="radio"
            name={name}
            value={own}
            checked={own === value}
            aria-disabled={disabledReason !== undefined || undefined}
            onChange={() => {
              if (disabledReason === undefined) onChange(own)
            }}
          />
          <span>
            {label}
            {hint !== undefined && hint !== '' && <span className={styles.hint}>{hint}</span>}
            {disabledReason !== undefined && (
              <span className="visuallyHidden">({disabledReason})</span>
            )}
          </span>
        </label>
      ))}
      {error !== undefined && (
        <p className={styles.error} role="alert">
          <StatusShape tone="bad" />
          {error}
        </p>
      )}
    </fieldset>
  )
}

interface CheckProps extends Omit<ComponentProps<'input'>, 'type' | 'disabled'> {
  readonly label: ReactNode
  /** Why it is disabled. It stays focusable and shows the reason. */
  readonly disabledReason?: string | undefined
}

export function CheckField({ label, disabledReason, onChange, ...input }: CheckProps) {
  const isDisabled = disabledReason !== undefined
  return (
    <label className={styles.check} title={disabledReason}>
      <input
        type="checkbox"
        {...input}
        aria-disabled={isDisabled || undefined}
        onChange={(event) => {
          if (!isDisabled) onChange?.(event)
        }}
      />
      <span>{label}</span>
      {isDisabled && <span className="visuallyHidden">({disabledReason})</span>}
    </label>
  )
}
