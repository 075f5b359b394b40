// The headers of the web app, as the files that usual hosts read. Hosts that send no headers of their own (GitHub Pages) get the
// policy from the page's <meta>.

/** In place of the desktop app's: only the web app has a manifest, and it reads web addresses itself. */
const webSources = { 'manifest-src': ["'self'"], 'connect-src': ["'self'", 'blob:', 'https:', 'http:'] };

/** A policy as the value of its header. @param policy the sources by directive */
export function policyText(policy) {
  return Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
    .join('; ');
}

/** The web app's policy as the value of its header. */
export function webPolicy(policy) {
  return policyText({ ...policy, ...webSources });
}

/** Browsers accept `frame-ancestors` only as a header. */
export function metaPolicy({ 'frame-ancestors': _, ...policy }) {
  return webPolicy(policy);
}

function headersOf(policy) {
  return {
    'content-security-policy': webPolicy(policy),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  };
}

/** Names in `assets` have a hash of their content. */
const forever = 'public, max-age=31536000, immutable';

/** The files by name: Netlify and Cloudflare Pages, Apache, nginx, Azure Static Web Apps, Vercel. */
export function hostFiles(policy) {
  const headers = Object.entries(headersOf(policy));
  const lines = (make) => headers.map(([name, value]) => make(name, value)).join('\n');
  return {
    _headers: [
      '/*',
      lines((name, value) => `  ${name}: ${value}`),
      '',
      '/assets/*',
      '  ! cache-control',
      `  cache-control: ${forever}`,
    ].join('\n'),
    '.htaccess': [
      'AddType application/manifest+json .webmanifest',
      '<IfModule mod_headers.c>',
      lines((name, value) => `Header set ${name} "${value}"`),
      `Header set cache-control "${forever}" "expr=%{REQUEST_URI} =~ m#/assets/#"`,
      '</IfModule>',
    ].join('\n'),
    'nginx.conf.example': [
      '# Inside `server { … }`, with the folder below `root`. Replace /stria/ by its path.',
      'location /stria/ {',
      lines((name, value) => `  add_header ${name} "${value}" always;`),
      '  types { application/manifest+json webmanifest; }',
      '  include mime.types;',
      '}',
    ].join('\n'),
    'staticwebapp.config.json': JSON.stringify(
      {
        globalHeaders: Object.fromEntries(headers),
        routes: [{ route: '/assets/*', headers: { 'cache-control': forever } }],
        mimeTypes: { '.webmanifest': 'application/manifest+json' },
      },
      null,
      2,
    ),
    'vercel.json': JSON.stringify(
      {
        headers: [
          { source: '/(.*)', headers: headers.map(([key, value]) => ({ key, value })) },
          { source: '/assets/(.*)', headers: [{ key: 'cache-control', value: forever }] },
        ],
      },
      null,
      2,
    ),
  };
}
