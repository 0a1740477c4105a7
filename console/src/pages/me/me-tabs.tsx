import { Link } from '@tanstack/react-router'
import { useMessages } from '../../messages/use-messages.ts'
import { tabClass, Tabs } from '../../ui/tabs.tsx'

export function MeTabs() {
  const t = useMessages()
  const tab = { className: tabClass, activeProps: { 'aria-current': 'page' } } as const
  return (
    <Tabs label={t.me.title}>
      <Link to="/me/keys" {...tab}>
        {t.me.keys}
      </Link>
      <Link to="/me/sessions" {...tab}>
        {t.me.sessions}
      </Link>
      <Link to="/me/factors" {...tab}>
        {t.me.factors}
      </Link>
      <Link to="/me/logins" {...tab}>
        {t.me.logins}
      </Link>
    </Tabs>
  )
}
