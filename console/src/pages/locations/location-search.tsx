import { useId, type RefObject } from 'react'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import field from '../../ui/field.module.css'
import styles from './location-search.module.css'

interface Props {
  readonly box: RefObject<HTMLInputElement | null>
  readonly value: string
  readonly onChange: (text: string) => void
  /** How many locations fit; undefined while nothing is looked for. */
  readonly found: number | undefined
}

const longest = 100

/** Narrows the table to what is called so. */
export function LocationSearch({ box, value, onChange, found }: Props) {
  const t = useMessages().locations
  const { number } = useFormat()
  const id = useId()
  return (
    <div className={styles.finder}>
      <label htmlFor={id} className="visuallyHidden">
        {t.find}
      </label>
      <input
        ref={box}
        data-find
        id={id}
        type="search"
        className={`${field.input} ${styles.input}`}
        placeholder={t.find}
        autoComplete="off"
        spellCheck={false}
        maxLength={longest}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <span role="status" className={styles.found}>
        {found !== undefined && t.found(found, number(found))}
      </span>
    </div>
  )
}
