import type { PolicyCheckDto } from '@muster/contract'
import { RoleName } from '../../session/role-name.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './check-dialog.module.css'
import { EntityLink } from './entity-link.tsx'

/** The result of a permission check: decision, reason and deciding rule. */
export function CheckAnswer({ check }: { readonly check: PolicyCheckDto }) {
  const t = useAllMessages()
  const { allowed, reason, reach, decided_by: by } = check
  return (
    <div className={styles.answer}>
      <h3>
        <StatusMark tone={allowed ? 'good' : 'bad'}>
          {allowed ? t.identity.allowed : t.identity.notAllowedAnswer}
        </StatusMark>
      </h3>
      <p>{reason}</p>
      <PropertyList>
        {reach !== null && (
          <Property label={t.identity.permissionScope}>
            {t.identity.permissionScopes[reach]}
          </Property>
        )}
        {by && (
          <>
            <Property label={t.identity.byPolicy}>
              <EntityLink kind="policies" id={by.policy.id}>
                {by.policy.name}
              </EntityLink>
            </Property>
            <Property label={t.identity.byRule}>
              <code>
                {t.identity[by.rule.effect]} {by.rule.service} {by.rule.resource} {by.rule.action}
              </code>
            </Property>
            <Property label={t.identity.byRole}>
              <EntityLink kind="roles" id={by.role.id}>
                <RoleName name={by.role.name} />
              </EntityLink>
            </Property>
            {by.group && (
              <Property label={t.identity.byGroup}>
                <EntityLink kind="groups" id={by.group.id}>
                  {by.group.name}
                </EntityLink>
              </Property>
            )}
          </>
        )}
      </PropertyList>
    </div>
  )
}
