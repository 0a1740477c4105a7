import { hash } from 'node:crypto'
import { relative } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { inlineRoutes } from '../sdk/inline-routes.ts'
import { describeResources } from './describe-resources.ts'

/** Where `npm run dev` in this folder finds the API. */
const api = process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8400'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [inlineRoutes(), describeResources(), react()],
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
        // it, unless a group of higher priority has them. `script-sizes.test.ts` limits the sizes.
        codeSplitting: {
          groups: [
            // The code for QR codes is loaded with the pages that show them.
            { name: 'libraries', test: /node_modules\/(?!uqr\/)/, priority: 4 },
            { name: 'main', test: /console\/src\/(?:main|routes)\.tsx$/, priority: 3 },
            { name: 'login', test: /console\/src\/pages\/login\//, priority: 2 },
            // The first page after the login.
            { name: 'overview', test: /console\/src\/(?:charts|pages\/overview)\//, priority: 2 },
            { name: 'palette', test: /console\/src\/frame\/(?:help-dialog|palette)/, priority: 2 },
            { name: 'servers', test: /console\/src\/(?:actions|pages\/servers?)\//, priority: 1 },
            { name: 'pages', test: /console\/src\/(?:other-pages|pages\/)/ },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': api } },
})
