import type { AccountsFilter } from '../../api/queries/accounts.ts'
import { useDebouncedInput } from '../../form/use-debounced-input.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { statuses } from './accounts-filter.ts'
import styles from './accounts-page.module.css'

interface Props {
  readonly filter: AccountsFilter
  readonly onChange: (change: Record<string, string>) => void
}

/** The search and status filter of the accounts list. */
export function AccountsToolbar({ filter, onChange }: Props) {
  const t = useMessages()
  const { search = '', status = '' } = filter
  const { box, text, type } = useDebouncedInput(search, (next) => onChange({ search: next }))
  return (
    <div className={styles.toolbar} role="search">
      <input
        ref={box}
        data-find
        type="search"
        className={styles.find}
        aria-label={t.accounts.find}
        placeholder={t.accounts.findHint}
        value={text}
        onChange={(event) => type(event.target.value)}
      />
      <select
        className={styles.find}
        aria-label={t.accounts.status}
        value={status}
        onChange={(event) => onChange({ status: event.target.value })}
      >
        <option value="">{t.accounts.anyStatus}</option>
        {statuses.map((known) => (
          <option key={known} value={known}>
            {t.accounts.statuses[known]}
          </option>
        ))}
      </select>
    </div>
  )
}
