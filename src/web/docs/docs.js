// Shows the API description of this server, in the colours that the system prefers.
const dark = globalThis.matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // The validator badge would ask another host.
  validatorUrl: null,
})
