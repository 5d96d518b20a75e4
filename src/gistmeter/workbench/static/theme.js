// Light or dark as last chosen, before the page is drawn.
try { const theme = localStorage.getItem("gistmeter theme"); if (theme) document.documentElement.dataset.theme = theme; } catch { /* a browser that keeps nothing follows the system */ }
