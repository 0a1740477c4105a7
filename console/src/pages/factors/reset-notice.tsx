import type { SessionDto } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readStoredText, storeText } from '../../browser/local-storage.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { useSession } from '../../session/use-session.ts'
import { Button } from '../../ui/button.tsx'
import notice from '../../ui/notice.module.css'

interface Props {
  readonly reset: NonNullable<SessionDto['second_factor']['reset']>
}

const keyOf = (userId: string) => `muster.factor-reset.${userId}`

/** Tells that somebody removed the second factors of the user, until it is dismissed in this browser. */
export function ResetNotice({ reset: { at, by } }: Props) {
  const { factors: t } = useAllMessages()
  const { dateTime } = useFormat()
  const { user } = useSession()
  const [dismissed, dismiss] = useState(() => readStoredText(keyOf(user.id)))
  if (dismissed === at) return null
  return (
    <section className={`${notice.notice} ${notice.warn}`} aria-label={t.caption} role="alert">
      <p className={notice.text}>{t.resetNotice(by, dateTime(at))}</p>
      <div className={notice.actions}>
        <Link to="/me/factors">{t.toFactors}</Link>
        <Button
          small
          onClick={() => {
            storeText(keyOf(user.id), at)
            dismiss(at)
          }}
        >
          {t.dismiss}
        </Button>
      </div>
    </section>
  )
}
