import { hash } from 'node:crypto'
import { relative } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { describeResources } from './describe-resources.ts'

/** Where `npm run dev` in this folder finds the API. */
const api = process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8400'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [describeResources(), react()],
  css: {
    modules: {
      // Short names: together they are a kilobyte of the compressed scripts. They do not depend on the folder of
      // the build, and begin with a letter.
      generateScopedName: (name, file) =>
        hash('sha1', `${relative(import.meta.dirname, file)} ${name}`, 'base64url')
          .slice(0, 5)
          .replace(/^[\d_-]/, 'q'),
    },
  },
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
        // A few files instead of forty: together they compress better. A group takes the modules
        // that it imports with it, unless a group of higher priority has them.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules/, priority: 5 },
            {
              name: 'kit',
              test: /console\/src\/(?:api|filter|form|frame|messages\/(?!zh-CN)|servers|session|ui|url|pages\/[^/]+$)|sdk\/src/,
              priority: 4,
            },
            { name: 'servers', test: /console\/src\/pages\/servers\//, priority: 3 },
            // With the dialogs and lists of tasks. The buttons are in the pages that show them.
            {
              name: 'server',
              test: /console\/src\/(?:pages\/server\/|actions\/(?!action-buttons|server-action|use-act))/,
              priority: 2,
            },
            { name: 'pages', test: /console\/src\/(?:other-pages|pages\/(?!login))/ },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': api } },
})
