import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm run dev` in this folder finds the API. */
const api = process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8400'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Everything is a file of our own origin: the content security policy allows nothing else.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Shared code is bundled into two files instead of twenty.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules/ },
            {
              name: 'kit',
              test: /console\/src\/(?:ui|session|url|api\/[^/]+$|text\/(?!zh-CN))|sdk\/src/,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': api } },
})
