import { Link } from '@tanstack/react-router'
import { accountsPerPage } from '../../api/queries/accounts.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import styles from './accounts-page.module.css'

interface Props {
  /** The first page is 0. */
  readonly page: number
  readonly total: number
}

export function AccountsPager({ page, total }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const pages = Math.ceil(total / accountsPerPage)
  if (pages < 2) return null
  const link = (to: number, name: string) =>
    to >= 0 &&
    to < pages && (
      <Link
        to="/accounts"
        search={(search) => ({ ...search, page: String(to + 1) })}
        className={buttonClass(undefined, true)}
      >
        {name}
      </Link>
    )
  return (
    <nav className={styles.toolbar} aria-label={t.accounts.pages}>
      {link(page - 1, t.accounts.previous)}
      <span>{t.accounts.page(number(page + 1), number(pages))}</span>
      {link(page + 1, t.accounts.next)}
    </nav>
  )
}
