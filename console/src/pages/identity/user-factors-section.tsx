import type { FactorDto, UserDto } from '@muster/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { factorsQuery } from '../../api/queries/factors.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { useSession } from '../../session/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Nothing, Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { FactorsTable } from '../factors/factors-table.tsx'
import { useUserPermission } from './use-user-permission.ts'

interface Props {
  readonly user: UserDto
}

/** The second factors of a user, and their reset for somebody who lost them. */
export function UserFactorsSection({ user }: Props) {
  const { factors: t } = useAllMessages()
  const { number } = useFormat()
  const session = useSession()
  const permission = useUserPermission('getFactors', user.id)
  const resetting = useUserPermission('resetFactors', user.id)
  const query = useQuery({ ...factorsQuery(user.id), enabled: permission.allowed })
  const [isOpen, open] = useState(false)
  const factors = query.data?.factors ?? []
  const isOwn = session.user.id === user.id
  const nothing = factors.length === 0 ? t.resetNothing : undefined
  return (
    <Section
      title={t.caption}
      actions={
        <Button
          small
          disabledReason={isOwn ? t.resetOwn : (resetting.reason ?? nothing)}
          onClick={() => open(true)}
        >
          {t.reset}
        </Button>
      }
    >
      {permission.reason === undefined ? (
        <QueryView query={query}>
          {({ factors: own, recovery_codes: codes, reset }) => (
            <>
              {own.length === 0 ? (
                <Nothing>{t.ofUserNone}</Nothing>
              ) : (
                <>
                  <FactorsTable factors={own} />
                  <p>{t.codesLeft(number(codes))}</p>
                </>
              )}
              {reset && (
                <p>
                  {t.lastReset(reset.by)}, <TimeAgo time={reset.at} />
                </p>
              )}
            </>
          )}
        </QueryView>
      ) : (
        <Nothing>{permission.reason}</Nothing>
      )}
      {isOpen && <ResetDialog user={user} factors={factors} onClose={() => open(false)} />}
    </Section>
  )
}

interface ResetProps extends Props {
  readonly factors: readonly FactorDto[]
  readonly onClose: () => void
}

function ResetDialog({ user: { id, name }, factors, onClose }: ResetProps) {
  const { factors: t } = useAllMessages()
  const queryClient = useQueryClient()
  const reset = useMutation({
    mutationFn: () => api.resetFactors({ parameters: { id } }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: factorsQuery(id).queryKey })
      showToast(t.resetDone(name))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t.resetOf(name)}
      submit={t.reset}
      onSubmit={() => reset.mutate()}
      onClose={onClose}
      busy={reset.isPending}
      error={reset.error}
      danger
    >
      <p>{t.resetText(name, factors.map((factor) => factor.name).join(', '))}</p>
      <p>{t.resetCheck}</p>
    </FormDialog>
  )
}
