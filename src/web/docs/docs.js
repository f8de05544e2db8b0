// Shows the API description of this server, in the colours that the system prefers.
const dark = globalThis.matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

/** Mends what keeps the page from being used without a mouse or a screen, whenever it draws something. */
function mend() {
  // The link is within a button that does the same.
  for (const link of document.querySelectorAll('button a[href]')) link.removeAttribute('href')
  for (const select of document.querySelectorAll('select:not([aria-label])')) {
    select.setAttribute('aria-label', select.id === 'servers' ? 'Server' : 'Choice')
  }
  for (const tag of document.querySelectorAll('h3.opblock-tag:not([aria-level])')) {
    tag.setAttribute('aria-level', '2')
  }
  for (const heading of document.querySelectorAll('h4:not([aria-level]), h5:not([aria-level])')) {
    heading.setAttribute('aria-level', '3')
  }
  const [about, server] = ['.information-container', '.schemes-server-container'].map(name =>
    document.querySelector(`${name}:not([role])`),
  )
  for (const [place, label] of [
    [about, 'About this API'],
    [server, 'Server and access'],
  ]) {
    place?.setAttribute('role', 'region')
    place?.setAttribute('aria-label', label)
  }
}
new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true })

/** Starts the viewer, and shows it in place of the overview when it has drawn the operations. */
function start() {
  globalThis.SwaggerUIBundle({
    url: 'openapi.json',
    dom_id: '#docs',
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    // The validator badge would ask another host.
    validatorUrl: null,
    onComplete() {
      document.getElementById('overview').remove()
      document.getElementById('docs').hidden = false
    },
  })
}

/** Begun once the overview is drawn: reading the script takes the whole processor. */
function load() {
  const style = Object.assign(document.createElement('link'), {
    rel: 'stylesheet',
    href: 'docs/swagger-ui.css',
  })
  const script = Object.assign(document.createElement('script'), {
    src: 'docs/swagger-ui-bundle.js',
    onload: start,
  })
  // Before our own, which mends its colours.
  document.querySelector('link[rel=stylesheet]').before(style)
  document.head.append(script)
}
requestAnimationFrame(() => setTimeout(load))
