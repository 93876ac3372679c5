front.default.render({ model: new host.Model(data), el: document.getElementById("explorer") });
