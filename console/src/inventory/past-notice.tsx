import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { momentQuery } from '../api/queries/moment.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import notice from '../ui/notice.module.css'
import { GapList } from './gap-list.tsx'
import styles from './past-notice.module.css'
import { useAsOf, useMomentText, useShowMoment } from './use-as-of.ts'

/** Says that the page shows the past, since when, and what was not observed then. */
export function PastNotice({ children }: { readonly children?: ReactNode }) {
  const asOf = useAsOf()
  if (asOf === undefined) return null
  return <Notice asOf={asOf}>{children}</Notice>
}

function Notice({ asOf, children }: { readonly asOf: string; readonly children: ReactNode }) {
  const { past: t } = useMessages()
  const { percent } = useFormat()
  const momentText = useMomentText()
  const show = useShowMoment()
  const { data: moment } = useQuery(momentQuery(asOf))
  return (
    <section className={`${notice.notice} ${notice.warn} ${styles.past}`} aria-label={t.label}>
      <p>
        <strong>{t.shown(momentText(asOf))}</strong> {t.text}
      </p>
      {moment?.isReady === false && (
        <p role="status">
          {t.preparing(percent(moment.progress, 1))}{' '}
          <progress value={moment.progress} aria-label={t.preparing('')} />
        </p>
      )}
      {moment?.isReady && <GapList gaps={moment.gaps} />}
      <div className={notice.actions}>
        <Button small onClick={() => show(undefined)}>
          {t.back}
        </Button>
        {children}
      </div>
    </section>
  )
}
