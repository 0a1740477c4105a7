import './styles/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isOutage } from './api/query-result.ts'
import { startLanguage } from './messages/language.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { queryClient } from './api/query-client.ts'
import { router } from './routes.tsx'
import { Toasts } from './ui/toasts.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root.')

await startLanguage()
createRoot(root, {
  // The page shows API failures; anything else is a defect.
  onCaughtError: (error) => {
    if (!isOutage(error)) reportError(error)
  },
}).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  )
}
