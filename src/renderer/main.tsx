import { createRoot } from 'react-dom/client';
import './tokens.css';
import { App } from './app/app.ts';
import { createCommands } from './app/commands.ts';
import { createTestHook } from './app/test-hook.ts';
import { createHost } from './host/create-host.ts';
import { AppRoot } from './panels/shell/app-root.tsx';

const app = new App(createHost(), createCommands);
const place = document.getElementById('root');
if (!place) throw new Error('index.html has no #root');
createRoot(place).render(<AppRoot app={app} />);
if (app.debug) Object.assign(window, { striaTest: createTestHook(app) });
void app.start();
