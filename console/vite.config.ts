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
  resolve: {
    alias: {
      // The other one is for React 17.
      'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector',
    },
  },
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
    // No inlined files: the content security policy allows only files of this origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Few files: together they compress better. A group takes the modules that it imports with
        // it, unless a group of higher priority has them.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules/, priority: 2 },
            // The servers, their actions, and what all pages share.
            {
              name: 'main',
              test: /sdk\/src|console\/src\/(?!charts|messages\/zh-CN|other-pages|pages\/(?!login|servers?\/)[^/]+\/)/,
              priority: 1,
            },
            { name: 'pages', test: /console\/src\/(?:charts|other-pages|pages\/)/ },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': api } },
})
