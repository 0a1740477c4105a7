import type { FactorsDto } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { factorsQuery } from '../../api/queries/factors.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { useSession } from '../../session/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { MeTabs } from '../me/me-tabs.tsx'
import { AddFactorDialog } from './add-factor-dialog.tsx'
import { FactorsTable } from './factors-table.tsx'
import { OwnFactorActions } from './own-factor-actions.tsx'
import { RecoveryCodesSection } from './recovery-codes-section.tsx'

/** The second factors of the user. */
export function FactorsPage() {
  const { factors: t, me } = useAllMessages()
  const { user } = useSession()
  const query = useQuery(factorsQuery(user.id))
  const [isAdding, setAdding] = useState(false)
  return (
    <Page
      title={me.factors}
      lead={t.lead}
      aside={
        <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
          {t.add}
        </Button>
      }
    >
      <MeTabs />
      <QueryView
        query={query}
        isEmpty={({ factors }: FactorsDto) => factors.length === 0}
        empty={<EmptyState title={t.none}>{t.noneText}</EmptyState>}
      >
        {({ factors, recovery_codes: codes }) => (
          <>
            <FactorsTable
              factors={factors}
              actions={(factor) => <OwnFactorActions factor={factor} all={factors} />}
            />
            <RecoveryCodesSection
              left={codes}
              hasFactor={factors.some(({ confirmed }) => confirmed)}
            />
          </>
        )}
      </QueryView>
      {isAdding && <AddFactorDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}
