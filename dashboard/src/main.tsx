import { createClient } from '@storage-routing/client';
import { createRoot } from 'react-dom/client';
void createClient;
const page = document.querySelector('#page');
if (page) createRoot(page).render(<p>hello</p>);
